// What the gallery has, for the list of scenes: the rest of it is loaded when one of them is chosen.

export const GALLERY = [
  { name: 'compass', title: 'Compass walker', about: 'Slope and masses: it walks, limps, falls.' },
  { name: 'kneed', title: 'Kneed walker', about: 'The same with knees.' },
  { name: 'motion', title: 'Captured motion', about: 'Torques, who carries it, gait cycle; yours, too.' },
  { name: 'counts', title: 'Mass-matrix algorithms', about: 'Six ways to one matrix, operations counted.' },
  { name: 'assembly', title: 'Cut a chain by hand', about: 'Your assembly tree beside the best one.' },
] as const;

export type GalleryName = (typeof GALLERY)[number]['name'];

/** The view that an address or a choice means: "gallery:compass". */
export function galleryNamed(text: string): GalleryName | undefined {
  const name = /^gallery:(.*)$/.exec(text)?.[1];
  return GALLERY.find((entry) => entry.name === name)?.name;
}
