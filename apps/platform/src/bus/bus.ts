import type { Stop } from "../clock.ts";
import type { Topic, Topics } from "./topics.ts";

/** The outcome of a bus request. Only `nobody` is a sure "it was not asked"; `unknown` may have been done. */
export type BusAnswer =
  | { readonly is: "done"; readonly data: unknown }
  | { readonly is: "nobody" }
  | { readonly is: "unknown"; readonly cause: "deadline" | "failed" };

/**
 * Messages between the nodes of one platform: at most once, in no promised order between topics, never a source of truth. What is
 * sent is copied as JSON, so nobody shares an object over it. Every implementation passes `bus/conformance.ts`.
 */
export interface Bus {
  /** Tells every subscriber on every node, this one too; never throws, never waits. */
  publish<T extends Topic>(topic: T, message: Topics[T]): void;
  subscribe<T extends Topic>(topic: T, handler: (message: Topics[T]) => void): Stop;
  /** Asks the one who responds to `subject`. Never rejects. `deadlineMs` from 1 to 60 000. */
  request(subject: string, message: unknown, deadlineMs: number): Promise<BusAnswer>;
  /** Answers requests to `subject`; a later responder of the same subject on this node replaces the older one. */
  respond(subject: string, handler: (message: unknown) => Promise<unknown>): Stop;
  /**
   * Calls when messages of other nodes may have been missed: when the way to them is back, theirs or this one's, and every few seconds while this
   * one's is not. Whoever keeps something on the strength of messages reads it again.
   */
  onGap(handler: () => void): Stop;
  /** `away`: other nodes do not hear this one, nor it them. Its own subscribers and responders hear everything all the same. */
  state(): "up" | "away";
  /** Open requests become unknown, nothing more is delivered. */
  close(): Promise<void>;
}
