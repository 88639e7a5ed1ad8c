import { describe, expect, it } from 'vitest';
import { timelinesSvg, timelinesText } from '../../src/schedule/draw-timelines.js';

const span = (processor: number, segment: number, phase: 'velocities' | 'assembly' | 'disassembly', start: number) => ({
  processor,
  segment,
  phase,
  start,
  end: start + 1000,
});
const TIMELINES = [
  {
    name: 'predicted',
    ns: 4000,
    spans: [span(0, 0, 'velocities', 0), span(0, 0, 'assembly', 1000), span(1, 1, 'assembly', 500)],
  },
  { name: 'measured', ns: 8000, spans: [span(0, 0, 'disassembly', 7000), span(1, 1, 'assembly', 4000)] },
];

describe('two timelines', () => {
  it('as text: the same scale for both, a line for each thread', () => {
    expect(timelinesText(TIMELINES).split('\n')).toEqual([
      'predicted 4.00 us',
      `  thread 0   |${'░'.repeat(8)}${'█'.repeat(8)}`,
      `  thread 1   |${' '.repeat(4)}${'█'.repeat(8)}`,
      'measured 8.00 us',
      `  thread 0   |${' '.repeat(56)}${'▒'.repeat(8)}`,
      `  thread 1   |${' '.repeat(32)}${'█'.repeat(8)}`,
      '  ░ velocities  █ assembly  ▒ disassembly; waiting for others is part of a bar',
      '',
    ]);
  });

  it('as SVG: a bar for each span, one above the other, with names that are no markup', () => {
    const svg = timelinesSvg('<b> & co', TIMELINES, (segment) => `segment ${segment} "<arm>"`);
    expect(svg).toContain('&lt;b&gt; &amp; co');
    const bars = [...svg.matchAll(/<rect x="([\d.]+)" y="(\d+)" width="([\d.]+)" [^>]*><title>([^<]*)</g)];
    expect(bars).toHaveLength(5);
    for (const [, , , width] of bars) expect(Number(width)).toBeCloseTo(bars[0][3] as unknown as number, 1);
    expect(bars[3][4]).toBe('segment 0 &quot;&lt;arm&gt;&quot;: disassembly, 7.00 us to 8.00 us');
    const predicted = Math.max(...bars.slice(0, 3).map((bar) => Number(bar[2])));
    for (const bar of bars.slice(3)) expect(Number(bar[2])).toBeGreaterThan(predicted);
    expect(svg.indexOf('predicted: 4.00 us')).toBeLessThan(svg.indexOf('measured: 8.00 us'));
  });
});
