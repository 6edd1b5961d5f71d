import type { NotificationTable, RequestTable, Side, SocketContract } from "@longarm/contract/methods";
import type * as z from "zod/mini";
import type { Handled } from "./answer.ts";

/** Which end of a socket we are. The agent is the client of the agent link. */
export type End = "client" | "server";
export type OtherEnd<E extends End> = E extends "client" ? "server" : "client";

/** Requests and notifications that this end may send. */
export type Ours<C extends SocketContract, E extends End> = C[E];
/** Requests and notifications that the other end may send. */
export type Theirs<C extends SocketContract, E extends End> = C[OtherEnd<E>];

export type Method<T> = Extract<keyof T, string>;

/** One handler for each request of the other end; it gets parsed input. */
export type Handlers<R extends RequestTable> = {
  readonly [M in Method<R>]: (
    input: z.output<R[M]["input"]>,
  ) => Handled<z.input<R[M]["output"]>> | Promise<Handled<z.input<R[M]["output"]>>>;
};

/** One listener for each notification of the other end; it gets parsed data. Absent ones are dropped. */
export type Listeners<N extends NotificationTable> = {
  readonly [M in Method<N>]?: (data: z.output<N[M]>) => void;
};

/** The tables of one side, as the peer reads them without their types. */
export type AnySide = Side;
