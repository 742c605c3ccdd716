/** The timing of leases. All processes of a database must use the same. */
export interface LeasePace {
  /** How long a lease lasts unless its owner renews it. */
  readonly leaseMs: number;
  /** How often a process renews its leases. */
  readonly heartbeatMs: number;
  /** How often a process looks for expired leases. */
  readonly sweepMs: number;
  /** How long an expired lease must stay the same until its owner is taken for dead. */
  readonly graceMs: number;
}

/**
 * Divides a lease into heartbeats and sweeps. A dead process is noticed within the lease, the grace period and two sweeps:
 * 7.5 s for the default lease of 4 s.
 */
export function leasePace(leaseSeconds: number): LeasePace {
  const leaseMs = leaseSeconds * 1_000;
  return { leaseMs, heartbeatMs: (leaseMs * 3) / 8, sweepMs: leaseMs / 8, graceMs: (leaseMs * 5) / 8 };
}
