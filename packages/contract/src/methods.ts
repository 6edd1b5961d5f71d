import type * as z from "zod/mini";

/** A request of a socket: its input, its output, and how long the caller waits before the outcome is unknown. */
export type RequestSpec = {
  readonly input: z.ZodMiniType;
  readonly output: z.ZodMiniType;
  /** After this many ms without an answer the outcome is *unknown*, never *no*. */
  readonly deadlineMs: number;
};

/** Requests of one direction by method name. */
export type RequestTable = Readonly<Record<string, RequestSpec>>;

/** Notifications of one direction by method name. */
export type NotificationTable = Readonly<Record<string, z.ZodMiniType>>;

/** Everything one side of a socket may say. */
export type Side = { readonly requests: RequestTable; readonly notifications: NotificationTable };

/** Both sides of a socket; what the `client` asks the `server` answers, and the other way round. */
export type SocketContract = {
  readonly client: Side;
  readonly server: Side;
  /** The largest text frame in bytes; a larger one closes the socket. */
  readonly frameBytesMax: number;
};
