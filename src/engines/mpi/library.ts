// An MPI library, called through koffi. Open MPI and MPICH have the same functions but not the same handles: addresses of
// objects there, integers here. What mpirun has set tells which of them started us.

import { MechanismError } from '../../mechanism/errors.js';
import { isNode } from '../../threads/surroundings.js';
import { type Family, type ProcessEnvironment, startedBy } from './environment.js';

/** Names of libraries, as Debian and others have them. */
const LIBRARIES: { readonly [family in Family]: readonly string[] } = {
  'Open MPI': ['libmpi.so.40', 'libmpi.so', 'libmpi.40.dylib', 'libmpi.dylib'],
  MPICH: ['libmpich.so.12', 'libmpi.so.12', 'libmpich.so', 'libmpi.so', 'libmpi.12.dylib'],
};

/** Constants of mpi.h: MPICH's are numbers, the same in all libraries of its interface. */
const MPICH = { world: 0x44000000, double: 0x4c00080b, byte: 0x4c00010d } as const;

/** Bytes of a request, at most: an address. */
export const REQUEST_BYTES = 8;
/** MPI_THREAD_FUNNELED, other threads of the process never call it; MPI_THREAD_MULTIPLE, they do. */
const [FUNNELED, MULTIPLE] = [1, 3];

const [READ_WRITE, SHARED_FIXED] = [3, 0x11];

type Call = (...values: unknown[]) => number;

/** An MPI that has begun, as other threads of the process are told of it. */
export interface BegunMpi {
  readonly family: Family;
  /** What the library was loaded by. */
  readonly file: string;
  /** Open MPI 4.1.4 */
  readonly version: string;
  readonly rank: number;
  readonly ranks: number;
  /** Whether several threads may call it. */
  readonly threads: boolean;
}

/** Functions by their names in MPI; handles are put in where they belong. */
export interface MpiLibrary extends BegunMpi {
  /** Returns when `data` can be used again: at once where it is small. */
  send(data: Float64Array, to: number, tag: number): void;
  /** A request that can be started again and again, written to `request`. */
  sendInit(data: Float64Array, to: number, tag: number, request: Uint8Array): void;
  recvInit(data: Float64Array, from: number, tag: number, request: Uint8Array): void;
  start(request: Uint8Array): void;
  startAll(count: number, requests: Uint8Array): void;
  test(request: Uint8Array): boolean;
  testAll(count: number, requests: Uint8Array): boolean;
  cancel(request: Uint8Array): void;
  free(request: Uint8Array): void;
  broadcast(data: Uint8Array, from: number): void;
  gather(data: Float64Array, all: Float64Array): void;
  barrier(): void;
  abort(code: number): void;
  finalize(): void;
  /** Lets other processes have the processor, or sleeps for a moment, some tens of microseconds. */
  yield(): void;
  sleep(): void;
  /** Puts a file in the place of memory that begins with a page; whether that could be done. */
  map(file: number, into: Uint8Array): boolean;
}

interface Koffi {
  load(path: string, options?: { readonly global?: boolean }): KoffiLibrary;
}
interface KoffiLibrary {
  func(signature: string): Call;
  symbol(name: string, type: string): unknown;
}

const refuse = (message: string): never => {
  throw new MechanismError([{ code: 'mpi', where: '', message }], 'MPI cannot be used');
};

const HOW = 'Start it with "mpirun -n 2 ..." (Open MPI or MPICH).';

/** The same MPI for another thread of the process in which it has begun. */
export async function joinMpi(begun: BegunMpi): Promise<MpiLibrary> {
  const koffi = await loadKoffi();
  return functions(koffi, koffi.load(begun.file, { global: true }), begun);
}

async function loadKoffi(): Promise<Koffi> {
  try {
    return ((await import('koffi')) as unknown as { default: Koffi }).default;
  } catch {
    return refuse('MPI is called through the package koffi: install it with "npm install koffi".');
  }
}

/** Loads the library, and begins MPI, for calls of this thread or of several. An error in one sentence where that cannot be. */
export async function loadMpi(env: ProcessEnvironment, threads: boolean): Promise<MpiLibrary> {
  if (!isNode()) refuse('MPI needs Node.');
  const koffi = await loadKoffi();
  // UCX, below MPICH and many others, would hook itself into the memory management of the process: Node crashes then, at times.
  const { process } = globalThis as { process?: { readonly env: { [name: string]: string | undefined } } };
  if (process !== undefined) process.env.UCX_MEM_EVENTS ??= 'n';
  const family = startedBy(env);
  const given = env.MANIKIN_MPI_LIBRARY;
  const open = (name: string): KoffiLibrary | undefined => {
    try {
      return koffi.load(name, { global: true });
    } catch {
      return undefined;
    }
  };
  const names = given !== undefined ? [given] : Object.values(LIBRARIES).flat();
  if (family === undefined) {
    const any = names.some((name) => open(name) !== undefined);
    return refuse(
      any
        ? `This process was not started by mpirun. ${HOW}`
        : 'There is no MPI on this machine: install Open MPI or MPICH (Debian: "apt install openmpi-bin"), then start with "mpirun -n 2 ...".',
    );
  }
  for (const name of given !== undefined ? [given] : LIBRARIES[family]) {
    const library = open(name);
    if (library === undefined) continue;
    const found: Family = openMpiHandles(library) === undefined ? 'MPICH' : 'Open MPI';
    if (found === family || given !== undefined) return functions(koffi, library, begin(library, found, name, threads));
  }
  return refuse(
    `${family} started this process, but its library (${LIBRARIES[family].slice(0, 2).join(' or ')}) cannot be loaded: install it, or name it in MANIKIN_MPI_LIBRARY.`,
  );
}

function openMpiHandles(library: KoffiLibrary): { world: unknown; double: unknown; byte: unknown } | undefined {
  try {
    const handle = (name: string): unknown => library.symbol(`ompi_mpi_${name}`, 'void');
    return { world: handle('comm_world'), double: handle('double'), byte: handle('byte') };
  } catch {
    return undefined;
  }
}

const integer = (): Int32Array => new Int32Array(new ArrayBuffer(4));

function begin(library: KoffiLibrary, family: Family, file: string, threads: boolean): BegunMpi {
  const { world } = openMpiHandles(library) ?? MPICH;
  const call = (name: string, parameters: string): Call => library.func(`int ${name}(${parameters})`);
  const level = integer();
  call('MPI_Init_thread', 'void*, void*, int, void*')(null, null, threads ? MULTIPLE : FUNNELED, level);
  if (threads && level[0] < MULTIPLE) refuse('This MPI does not let several threads call it: leave threads out.');
  const number = integer();
  const ask = (name: string): number => {
    call(name, `${handleType(family)}, void*`)(world, number);
    return number[0];
  };
  const rank = ask('MPI_Comm_rank');
  const ranks = ask('MPI_Comm_size');
  const text = new Uint8Array(new ArrayBuffer(8192));
  call('MPI_Get_library_version', 'void*, void*')(text, number);
  const version = versionOf(family, new TextDecoder().decode(text.subarray(0, number[0])));
  return { family, file, version, rank, ranks, threads };
}

const handleType = (family: Family): string => (family === 'Open MPI' ? 'void*' : 'int');

function functions(koffi: Koffi, library: KoffiLibrary, begun: BegunMpi): MpiLibrary {
  const { family } = begun;
  const { world, double, byte } = openMpiHandles(library) ?? MPICH;
  const H = handleType(family);
  // MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE and MPI_IN_PLACE as numbers.
  const ignore = family === 'Open MPI' ? 0 : 1;
  const call = (name: string, parameters: string): Call => library.func(`int ${name}(${parameters})`);
  const message = `void*, int, ${H}, int, int, ${H}, void*`;
  const [sendInit, recvInit] = [call('MPI_Send_init', message), call('MPI_Recv_init', message)];
  const send = call('MPI_Send', `void*, int, ${H}, int, int, ${H}`);
  const [start, startAll] = [call('MPI_Start', 'void*'), call('MPI_Startall', 'int, void*')];
  const test = call('MPI_Test', 'void*, void*, size_t');
  const testAll = call('MPI_Testall', 'int, void*, void*, size_t');
  const [cancel, free] = [call('MPI_Cancel', 'void*'), call('MPI_Request_free', 'void*')];
  const broadcast = call('MPI_Bcast', `void*, int, ${H}, int, ${H}`);
  const gather = call('MPI_Allgather', `void*, int, ${H}, void*, int, ${H}, ${H}`);
  const barrier = call('MPI_Barrier', H);
  const abort = call('MPI_Abort', `${H}, int`);
  const finalize = call('MPI_Finalize', '');
  const flag = integer();
  return {
    ...begun,
    send: (data, to, tag) => void send(data, data.length, double, to, tag, world),
    sendInit: (data, to, tag, request) => void sendInit(data, data.length, double, to, tag, world, request),
    recvInit: (data, from, tag, request) => void recvInit(data, data.length, double, from, tag, world, request),
    start: (request) => void start(request),
    startAll: (count, requests) => void startAll(count, requests),
    test: (request) => {
      test(request, flag, ignore);
      return flag[0] !== 0;
    },
    testAll: (count, requests) => {
      testAll(count, requests, flag, ignore);
      return flag[0] !== 0;
    },
    cancel: (request) => void cancel(request),
    free: (request) => void free(request),
    broadcast: (data, from) => void broadcast(data, data.length, byte, from, world),
    gather: (data, all) => void gather(data, data.length, double, all, data.length, double, world),
    barrier: () => void barrier(world),
    abort: (code) => void abort(world, code),
    finalize: () => void finalize(),
    ...pauses(koffi),
  };
}

/** "Open MPI v4.1.4, package: ..." and "MPICH Version:      4.0.2 ..." */
function versionOf(family: Family, text: string): string {
  const found = /v?(\d+\.\d+[\w.]*)/.exec(text);
  return found === null ? family : `${family} ${found[1]}`;
}

function pauses(koffi: Koffi): Pick<MpiLibrary, 'yield' | 'sleep' | 'map'> {
  for (const name of ['libc.so.6', 'libSystem.B.dylib'])
    try {
      const library = koffi.load(name);
      const [give, sleep] = [library.func('int sched_yield()'), library.func('int usleep(unsigned int)')];
      const map = library.func('long mmap(void*, size_t, int, int, int, long)');
      return {
        yield: () => void give(),
        sleep: () => void sleep(1),
        // Numbers of Linux, to read and write, for all who map it, just there.
        map: (file, into) =>
          name.startsWith('libc') && map(into, into.length, READ_WRITE, SHARED_FIXED, file, 0) !== -1,
      };
    } catch {
      // Another system.
    }
  return { yield: () => {}, sleep: () => {}, map: () => false };
}
