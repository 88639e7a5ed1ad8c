// The walk of the page's gallery, which tests read, too.

export * from '../../page/src/gallery/gait-bvh.js';
