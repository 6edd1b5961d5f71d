import type { StatementFault } from "./gate.ts";
import type { Life } from "./life.ts";

/** Where something will break, counted from now. */
export type StatementDoom = { left: number; readonly fault: Exclude<StatementFault, "none"> };
type Owner = string;

/** Waiting breakdowns: of a statement of the platform, of a use of a disk, at a step of a money path. */
export class Dooms {
  #statement: StatementDoom | undefined;
  readonly #disks = new Map<Owner, { left: number; strike: () => void }>();
  readonly #steps = new Map<Owner, { name: string; strike: () => void }>();

  statementAt(doom: StatementDoom): void {
    this.#statement = doom;
  }

  /** `strike` runs before the disk is used for so many times. */
  diskAt(owner: Owner, left: number, strike: () => void): void {
    this.#disks.set(owner, { left, strike });
  }

  stepAt(owner: Owner, name: string, strike: () => void): void {
    this.#steps.set(owner, { name, strike });
  }

  clear(): void {
    this.#statement = undefined;
    this.#disks.clear();
    this.#steps.clear();
  }

  statement(life: Life): StatementFault {
    const doom = this.#statement;
    if (doom === undefined || !life.name.startsWith("platform")) return "none";
    doom.left -= 1;
    if (doom.left > 0) return "none";
    this.#statement = undefined;
    return doom.fault;
  }

  disk(owner: Owner): void {
    const doom = this.#disks.get(owner);
    if (doom === undefined) return;
    doom.left -= 1;
    if (doom.left > 0) return;
    this.#disks.delete(owner);
    doom.strike();
  }

  step(owner: Owner, name: string): boolean {
    const doom = this.#steps.get(owner);
    if (doom?.name !== name) return false;
    this.#steps.delete(owner);
    doom.strike();
    return true;
  }
}
