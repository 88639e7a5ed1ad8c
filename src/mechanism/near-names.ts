// Suggestions for a name that is not there.

/** Names shown at most. */
const SHOWN = 8;

/** What to say behind "There is no ...": the names that differ least, or the first ones where none is near. */
export function nearNames(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'There are none.';
  const farthest = Math.max(1, Math.floor(name.length / 3));
  const near = known
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase(), farthest) }))
    // A word with no letter in common is not near, however short it is.
    .filter(({ distance }) => distance <= farthest && distance < name.length)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ other }) => `"${other}"`);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  return `There are: ${known.slice(0, SHOWN).join(', ')}${known.length > SHOWN ? ', ...' : ''}.`;
}

/** Insertions, deletions and replacements between two words; more than `most` where there are more. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, k) => k);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let k = 1; k <= b.length; k++) {
      const replaced = row[k - 1] + (a[i - 1] === b[k - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[k] + 1, next[k - 1] + 1));
    }
    row = next;
  }
  return row[b.length];
}
