// A cluster in miniature: hosts are network namespaces of this machine with names and addresses of their own, between which
// packets take as long as asked for (delay-line.mjs). mpirun starts its ranks there by a launch agent, as it would by ssh.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DEVICE = 'net0';
/** Bytes of a packet at most. */
const MTU = 9000;

/** Why there can be no hosts here; undefined where they can. */
export function noHosts(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'network namespaces need root on Linux';
  if (!existsSync('/dev/net/tun')) return 'there is no /dev/net/tun';
  try {
    execFileSync('ip', ['netns', 'list'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no "ip" (Debian: iproute2)';
  }
}

export class Hosts {
  readonly #names: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'manikin-hosts-'));
  readonly #line: ChildProcess;
  /** Ended when the devices are there. */
  readonly ready: Promise<void>;

  constructor(count: number, microseconds: number) {
    this.#names = Array.from({ length: count }, (_, k) => `manikin-${process.pid}-${k}`);
    const pairs = this.#names.flatMap((name, k) => {
      execFileSync('ip', ['netns', 'add', name]);
      return [name, this.address(k)];
    });
    const file = fileURLToPath(new URL('./delay-line.mjs', import.meta.url)).replace('/out/bench/', '/');
    this.#line = spawn(process.execPath, [file, String(microseconds), ...pairs], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lost = once(this.#line, 'exit').then(() => {
      throw new Error('the delay line has ended');
    });
    lost.catch(() => {});
    this.ready = Promise.race([once(this.#line.stdout!, 'data'), lost]).then(() => this.#configure());
    const cases = this.#names.map((name, k) => `${this.address(k)}) name=${name};;`).join(' ');
    // As ssh is called: the host, then words of a command.
    writeFileSync(
      this.agent,
      `#!/bin/sh\nwhile [ "\${1#-}" != "$1" ]; do shift; done\nhost=$1; shift\ncase $host in ${cases} *) exit 1;; esac\n` +
        'exec ip netns exec "$name" unshare --uts sh -c "hostname $name; $*"\n',
    );
    chmodSync(this.agent, 0o755);
  }

  address(k: number): string {
    return `10.77.0.${k + 1}`;
  }

  /** A script that runs a command on a host. */
  get agent(): string {
    return join(this.#folder, 'agent');
  }

  /** mpirun on host 0, with as many ranks on each host, and what follows. */
  mpirun(
    { family, command }: { readonly family: 'Open MPI' | 'MPICH'; readonly command: string },
    each: number,
  ): string[] {
    const addresses = this.#names.map((_, k) => this.address(k));
    const ranks = String(each * addresses.length);
    // Processes of one machine would find each other's memory otherwise.
    const overTcp = [
      'env',
      'UCX_TLS=tcp,self',
      `UCX_NET_DEVICES=${DEVICE}`,
      'FI_PROVIDER=tcp',
      `FI_TCP_IFACE=${DEVICE}`,
    ];
    const inside = [
      'ip',
      'netns',
      'exec',
      this.#names[0],
      'unshare',
      '--uts',
      'sh',
      '-c',
      'hostname "$0"; exec "$@"',
      this.#names[0],
    ];
    if (family === 'MPICH') {
      const hosts = addresses.map((address) => `${address}:${each}`).join(',');
      const launcher = ['-launcher', 'ssh', '-launcher-exec', this.agent, '-iface', DEVICE];
      return [...inside, ...overTcp, command, ...launcher, '-hosts', hosts, '-n', ranks];
    }
    const tcp = [
      'btl',
      'tcp,self',
      'btl_tcp_if_include',
      DEVICE,
      'oob_tcp_if_include',
      DEVICE,
      'plm_rsh_agent',
      this.agent,
    ];
    const settings = tcp.flatMap((word, k) => (k % 2 === 0 ? ['--mca', word] : [word]));
    const hosts = addresses.map((address) => `${address}:${each}`).join(',');
    return [...inside, command, ...settings, '--bind-to', 'none', '--host', hosts, '-n', ranks];
  }

  #configure(): void {
    for (const [k, name] of this.#names.entries()) {
      const ip = (...words: string[]): void => void execFileSync('ip', ['-n', name, ...words]);
      ip('link', 'set', 'lo', 'up');
      ip('addr', 'add', `${this.address(k)}/24`, 'dev', DEVICE);
      ip('link', 'set', DEVICE, 'mtu', String(MTU), 'up');
    }
  }

  /** Takes everything away again. */
  async close(): Promise<void> {
    const ended = this.#line.exitCode === null ? once(this.#line, 'exit') : undefined;
    this.#line.kill('SIGKILL');
    await ended;
    for (const name of this.#names) execFileSync('ip', ['netns', 'del', name]);
    rmSync(this.#folder, { recursive: true });
  }
}
