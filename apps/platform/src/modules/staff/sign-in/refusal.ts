import type { StaffProblem, StaffProblemName } from "@longarm/contract/staff-problems";

/** An expected refusal of a staff act. Thrown, so that the act's transaction is rolled back whole; the listener answers it. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly problem: StaffProblem;
  constructor(name: StaffProblemName, params: NonNullable<StaffProblem["params"]> = {}, detail?: string) {
    super(name);
    this.problem = { name, params, ...(detail !== undefined && { detail }) };
  }
}
