// A task for the threads of an environment: the same as that of test/scenes/environment.test.ts.

export default {
  observations: 4,
  actions: 2,
  frames: 2,
  act: ['joint_1', 'joint_2'],
  observe: ({ world }, observation) => {
    const { q, v } = world.members[0].state;
    observation.set([...q, ...v]);
  },
  reward: ({ world }, action) => {
    if (action[1] === 77) throw new Error('no reward for 77');
    return world.members[0].state.q[0] - 0.01 * action[0] ** 2;
  },
  terminated: ({ world }) => world.members[0].state.q[0] > 0.5,
  reset: ({ world }, random) => {
    const { q } = world.members[0].state;
    for (let k = 0; k < q.length; k++) q[k] = random.between(-0.3, 0.3);
  },
};
