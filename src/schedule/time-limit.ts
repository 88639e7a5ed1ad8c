/** When a search has to stop. Once time is up it stays up, so that whoever asks later stops, too. */
export class TimeLimit {
  private readonly deadline: number;
  private readonly now: () => number;
  private up = false;

  /** `deadline`: a value of the clock, `performance.now()` unless a test brings its own. */
  constructor(deadline: number, now: () => number = () => performance.now()) {
    this.deadline = deadline;
    this.now = now;
  }

  isUp(): boolean {
    this.up ||= this.now() > this.deadline;
    return this.up;
  }
}
