// The program of a worker thread, in Node and in a browser: it waits for its assignment, then works.

import { ownPort } from '../../../threads/port.js';
import { loadThreads } from '../../../threads/surroundings.js';
import { type Assignment, work } from './crew.js';

const port = ownPort<Assignment, 'ready'>(await loadThreads());
port.listen((assignment) => {
  port.post('ready');
  work(assignment);
});
