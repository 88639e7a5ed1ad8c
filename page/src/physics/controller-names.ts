// The ready controllers by name, for the page; what they do is physics/controllers.ts.

export const CONTROLLERS = [
  {
    name: 'none',
    title: 'All joints are free',
    about: 'No motors: only gravity, contacts and the mouse.',
  },
  {
    name: 'hold',
    title: 'Every joint holds its place',
    about: 'A motor on each joint keeps the pose of this moment.',
  },
  {
    name: 'straight',
    title: 'Every joint goes to its middle pose',
    about: 'A motor on each joint brings it to zero, as far as its limits allow.',
  },
  {
    name: 'stand',
    title: 'Stand',
    about: 'A posture with bent knees, and ankles that keep the weight over the feet.',
  },
  {
    name: 'balance',
    title: 'Balance when pushed',
    about: 'The same, with the weight over the middle of the feet and quicker ankles: it takes pushes from all sides.',
  },
  {
    name: 'swing',
    title: 'Swing up',
    about: 'What hangs bends with the swing, so that each one takes it higher.',
  },
] as const;

export type ControllerName = (typeof CONTROLLERS)[number]['name'];
