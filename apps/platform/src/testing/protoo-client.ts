import { createRequire } from "node:module";

/** The parts of the published protoo-client that tests use; it brings no types. */
export interface ProtooPeer {
  readonly connected: boolean;
  request(method: string, data: unknown): Promise<unknown>;
  on(event: "open" | "close" | "disconnected" | "failed", listener: () => void): void;
  on(event: "notification", listener: (notification: { method: string; data: unknown }) => void): void;
  close(): void;
}

const { Peer, WebSocketTransport } = createRequire(import.meta.url)("protoo-client") as {
  Peer: new (transport: unknown) => ProtooPeer;
  WebSocketTransport: new (url: string, options?: object) => unknown;
};

/** Opens a socket with the published client, unchanged. */
export function protooPeer(url: string, options: object = {}): ProtooPeer {
  return new Peer(new WebSocketTransport(url, options));
}
