// One mechanism on many cores is the engine 'threads' of dynamics(), many states are batch(); both share their threads.

export { endThreads } from './pool.js';
