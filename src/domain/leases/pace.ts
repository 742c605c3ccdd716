/** The timing of leases. All processes of a database must use the same. */
export interface LeasePace {
  /** How long a lease lasts unless its owner renews it. */
  readonly leaseMs: number;
  /** How often a process renews its leases. */
  readonly heartbeatMs: number;
  /** How often a process looks for expired leases. */
  readonly sweepMs: number;
}

/**
 * Divides a lease into heartbeats and sweeps. A dead process is noticed within the lease, a heartbeat and two sweeps:
 * 7.5 s for the default lease of 4 s.
 */
export function leasePace(leaseSeconds: number): LeasePace {
  const leaseMs = leaseSeconds * 1_000;
  return { leaseMs, heartbeatMs: (leaseMs * 3) / 8, sweepMs: leaseMs / 4 };
}
