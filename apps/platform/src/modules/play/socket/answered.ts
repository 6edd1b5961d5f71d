import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import { Refusal } from "../../seats/index.ts";

/** Turns the refusals of seats and wallet into answers of the socket. */
export async function answered<T>(work: () => Promise<T>): Promise<Handled<T>> {
  try {
    return done(await work());
  } catch (error) {
    if (error instanceof Refusal)
      return refused(error.problem, {
        ...(error.detail !== undefined && { detail: error.detail }),
        ...(error.params && { params: error.params }),
      });
    throw error;
  }
}
