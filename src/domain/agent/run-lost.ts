/** This process no longer owns the run: its lease ran out and another process has settled it. Write nothing more. */
export class RunLost extends Error {
  constructor() {
    super('the run was settled by another process');
    this.name = 'RunLost';
  }
}
