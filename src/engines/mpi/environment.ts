// What mpirun has told this process about itself, before MPI has begun.

/** The two families: MPICH's interface is also that of Intel MPI, MVAPICH and Cray MPICH. */
export type Family = 'Open MPI' | 'MPICH';

export type ProcessEnvironment = { readonly [name: string]: string | undefined };

/** The family of the mpirun that started this process; undefined where none did. */
export function startedBy(env: ProcessEnvironment): Family | undefined {
  // Slurm's PMIx serves Open MPI, its PMI-1 and PMI-2 serve MPICH.
  if (env.OMPI_COMM_WORLD_SIZE !== undefined || env.PMIX_RANK !== undefined) return 'Open MPI';
  if (env.PMI_RANK !== undefined || env.PMI_SIZE !== undefined || env.MPI_LOCALNRANKS !== undefined) return 'MPICH';
  return undefined;
}

/** The rank of this process before MPI has begun, for whoever must not say the same thing twice. */
export function rankFromEnvironment(env: ProcessEnvironment): number {
  return Number(env.OMPI_COMM_WORLD_RANK ?? env.PMIX_RANK ?? env.PMI_RANK ?? 0);
}

/** Ranks on this machine. */
export function localRanks(env: ProcessEnvironment): number {
  return Number(env.OMPI_COMM_WORLD_LOCAL_SIZE ?? env.MPI_LOCALNRANKS ?? 1);
}
