// The papers whose figures are reproduced.

export const PAPERS = new Map([
  ['000', 'K. Yamane, Y. Nakamura: Efficient Parallel Dynamics Computation of Human Figures (2002)'],
  [
    '001',
    'J. Stepien, A. Polanski, K. Wojciechowski: A General On-the-Fly Algorithm for Modifying the Kinematic Tree Hierarchy (2012)',
  ],
  [
    '002',
    'K. Yamane, Y. Nakamura: Automatic Scheduling for Parallel Forward Dynamics Computation of Open Kinematic Chains (2007)',
  ],
  [
    '003',
    'K. Yamane, Y. Nakamura: forward dynamics based on the principle of virtual work (title and year not in our copy)',
  ],
  ['004', "A. Fijany: Serial and Parallel Computation of Kane's Equations for Multibody Dynamics (1991)"],
]);
