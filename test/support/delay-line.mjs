// The network of a cluster in miniature: every host is a network namespace with one TUN device, and this program carries the
// packets between them, each so many microseconds after it was sent, as netem would where the kernel has it.
//
//   node delay-line.mjs MICROSECONDS NAMESPACE ADDRESS [NAMESPACE ADDRESS ...]
//
// It sleeps while nothing is under way. With the priority of real time it wakes at once also where programs compute on all
// processors. Prints "ready" when devices are there; ends with the program that started it.

import koffi from 'koffi';

const libc = koffi.load('libc.so.6');
const open = libc.func('int open(const char*, int)');
const close = libc.func('int close(int)');
const ioctl = libc.func('int ioctl(int, unsigned long, void*)');
const setns = libc.func('int setns(int, int)');
const read = libc.func('long read(int, void*, size_t)');
const write = libc.func('long write(int, void*, size_t)');
const ppoll = libc.func('int ppoll(void*, unsigned long, void*, void*)');
const schedule = libc.func('int sched_setscheduler(int, int, void*)');
const processor = libc.func('int prctl(int, unsigned long)');

const [READ_WRITE, NONBLOCK, NEW_NETWORK, SET_INTERFACE, TUN, NO_HEADER] = [
  2, 0o4000, 0x40000000, 0x400454ca, 1, 0x1000,
];
const [FIFO, DEATH_SIGNAL, TERM, READABLE] = [1, 1, 15, 1];
const LARGEST = 9000;
/** Microseconds before a packet is due from which on its time is waited for without sleeping: a wake-up is never exact. */
const AWAKE = 5;

const fail = (what) => {
  console.error(`delay-line: ${what}`);
  process.exit(1);
};
const [delay, ...pairs] = process.argv.slice(2);
const hosts = [];
for (let k = 0; k < pairs.length; k += 2) hosts.push({ namespace: pairs[k], address: pairs[k + 1] });
const microseconds = Number(delay);
if (!(microseconds >= 0) || hosts.length < 2) fail('expects microseconds and pairs of namespace and address.');

const devices = hosts.map(({ namespace }) => {
  const place = open(`/run/netns/${namespace}`, 0);
  if (place < 0 || setns(place, NEW_NETWORK) !== 0) fail(`cannot enter the namespace "${namespace}".`);
  close(place);
  const device = open('/dev/net/tun', READ_WRITE | NONBLOCK);
  const request = Buffer.alloc(40);
  request.write('net0');
  request.writeUInt16LE(TUN | NO_HEADER, 16);
  if (device < 0 || ioctl(device, SET_INTERFACE, request) !== 0) fail('cannot make a TUN device.');
  return device;
});
const deviceOf = new Map(
  hosts.map(({ address }, k) => [address.split('.').reduce((sum, part) => 256 * sum + Number(part), 0), devices[k]]),
);

processor(DEATH_SIGNAL, TERM);
const priority = Buffer.alloc(4);
priority.writeInt32LE(50);
if (schedule(0, FIFO, priority) !== 0) console.error('delay-line: no priority of real time, delays vary.');

const poll = Buffer.alloc(8 * devices.length);
devices.forEach((device, k) => {
  poll.writeInt32LE(device, 8 * k);
  poll.writeInt16LE(READABLE, 8 * k + 4);
});
const pause = Buffer.alloc(16);
const free = [];
/** In the order in which they are due. */
const under = [];
const now = () => 1000 * performance.now();

console.log('ready');
for (;;) {
  const left = under.length === 0 ? Number.POSITIVE_INFINITY : under[0].due - now();
  let timeout = pause;
  if (left === Number.POSITIVE_INFINITY) timeout = null;
  else pause.writeBigInt64LE(BigInt(Math.round(1000 * Math.max(0, left - AWAKE))), 8);
  ppoll(poll, devices.length, timeout, null);
  for (const [k, device] of devices.entries()) {
    if (poll.readInt16LE(8 * k + 6) === 0) continue;
    for (;;) {
      const packet = free.pop() ?? Buffer.alloc(LARGEST + 100);
      const size = Number(read(device, packet, LARGEST + 100));
      if (size <= 0) {
        free.push(packet);
        break;
      }
      under.push({ packet, size, due: now() + microseconds });
    }
  }
  while (under.length > 0 && under[0].due <= now()) {
    const { packet, size } = under.shift();
    const to = packet[0] >> 4 === 4 ? deviceOf.get(packet.readUInt32BE(16)) : undefined;
    if (to !== undefined) write(to, packet.subarray(0, size), size);
    free.push(packet);
  }
}
