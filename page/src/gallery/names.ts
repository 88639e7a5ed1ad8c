// What the gallery has, for the list of scenes: the rest of it is loaded when one of them is chosen.

export const GALLERY = [
  { name: 'compass', title: 'Compass walker: slope, masses, chaos' },
  { name: 'kneed', title: 'Kneed walker: slope, masses' },
  { name: 'motion', title: 'Captured motion: torques, support, gait cycle' },
  { name: 'counts', title: 'Mass-matrix algorithms, counted' },
  { name: 'assembly', title: 'Cut a chain by hand' },
] as const;

export type GalleryName = (typeof GALLERY)[number]['name'];

/** The view that an address or a choice means: "gallery:compass". */
export function galleryNamed(text: string): GalleryName | undefined {
  const name = /^gallery:(.*)$/.exec(text)?.[1];
  return GALLERY.find((entry) => entry.name === name)?.name;
}
