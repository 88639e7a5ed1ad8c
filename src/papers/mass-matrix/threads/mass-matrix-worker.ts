// The program of a worker thread, in Node and in a browser: it waits for its assignment, then works.

import { ownPort } from '../../../threads/port.js';
import { beginThread } from '../../../threads/surroundings.js';
import { type Assignment, work } from './crew.js';

beginThread((threads) => {
  const port = ownPort<Assignment, 'ready'>(threads);
  port.listen((assignment) => {
    port.post('ready');
    work(assignment);
  });
});
