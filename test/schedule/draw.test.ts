import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import { describe, expect, it } from 'vitest';
import { human161, serialChain } from '../../bench/suites/schedule.js';
import { drawSvg, drawText, engineCost, schedule, type Topology } from '../../src/schedule/index.js';

describe('the tree as text', () => {
  it('shows sides, processors and times', () => {
    const topology = serialChain(5);
    const text = drawText(topology, schedule(topology, { processors: 2 }), { full: true });
    expect(text).toBe(
      [
        '45.4 us on 2 processors, proved optimal',
        'one processor 77.4 us, 1.70 times as long',
        '2 joint 2  processors 0-1  13.4 us',
        '├r─ 1 joint 1  processor 0  16 us',
        '│   └r─ 0 joint 0  processor 0  16 us',
        '└e─ 3 joint 3  processor 1  16 us',
        '    └e─ 4 joint 4  processor 1  16 us',
        '',
      ].join('\n'),
    );
  });

  it('draws a part on one processor as one line unless asked', () => {
    const text = drawText(human161(), schedule(human161(), { processors: 4 }));
    expect(text.split('\n').length).toBeLessThan(12);
    expect(text).toMatch(/ and \d+ more on processor 0 /);
  });

  it('says what is not proved', () => {
    const topology = serialChain(500);
    expect(drawText(topology, schedule(topology, { processors: 8, timeBudgetMs: 0 }))).toMatch(
      /at most [\d.]+ % above the optimum/,
    );
  });
});

describe('the drawing', () => {
  const elements = (svg: string, name: string): XmlElement[] =>
    (parseXml(svg).root as XmlElement).children.filter(
      (child): child is XmlElement => 'name' in child && child.name === name,
    );

  it('is XML, whatever the joints are called', () => {
    const names = [
      '<script>alert(1)</script>',
      '&amp; "quoted"',
      ']]>',
      'nul\u0000bell\u0007',
      'lone \ud800 surrogate',
      'Gelenk ü 関節',
    ];
    const topology: Topology = { ...serialChain(6), names };
    const svg = drawSvg(topology, schedule(topology, { processors: 2 }), { title: 'a < b & c' });
    const texts = elements(svg, 'text').map((each) => each.text);
    expect(svg).not.toContain('<script');
    expect(texts).toContain('a < b & c');
    expect(texts.some((each) => each.includes('<script>alert(1)</script>'))).toBe(true);
    expect(texts.some((each) => each.includes('関節'))).toBe(true);
    expect(texts.some((each) => each.includes('nul\ufffdbell\ufffd'))).toBe(true);
  });

  it('has every joint in the tree, and every piece of work in the timeline, inside the picture', () => {
    const topology = human161();
    const found = schedule(topology, { processors: 8, cost: engineCost() });
    const svg = drawSvg(topology, found);
    const root = parseXml(svg).root as XmlElement;
    const [width, height] = [Number(root.attributes.width), Number(root.attributes.height)];
    expect(elements(svg, 'circle').length).toBe(53);
    const titles = elements(svg, 'rect').filter((each) => each.children.length > 0);
    expect(titles.length).toBe(found.timeline.flat().length);
    for (const { attributes } of elements(svg, 'rect')) {
      const [x, y] = [Number(attributes.x ?? 0), Number(attributes.y ?? 0)];
      expect(x + Number(attributes.width)).toBeLessThanOrEqual(width + 0.1);
      expect(y + Number(attributes.height)).toBeLessThanOrEqual(height + 0.1);
    }
    for (const each of elements(svg, 'text')) expect(Number(each.attributes.y)).toBeLessThanOrEqual(height);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('leaves out what would not be seen', () => {
    const topology = serialChain(3);
    const svg = drawSvg(topology, schedule(topology, { processors: 300 }));
    expect(svg).toContain('236 more processors not shown');
  });

  it('draws a mechanism that costs nothing, and a single joint', () => {
    const topology = serialChain(1);
    expect(drawSvg(topology, schedule(topology, { processors: 1 }))).not.toMatch(/NaN|Infinity/);
  });
});
