import type { ECDH } from "node:crypto";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:http";

/* A push service, and devices as their browsers have them: for tests of what the platform pushes. */

type Push = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };
/** How it answers: a status, or as hostile receivers do. */
type Answer = number | "silent" | "redirect" | "endless" | "cut" | "later";

export type PushService = Awaited<ReturnType<typeof openPushService>>;

/** Opens it on this computer. `portNumber`: where the platform was promised that it is. */
export async function openPushService(portNumber: number) {
  const host = `127.0.0.1:${portNumber}`;
  const pushes: Push[] = [];
  let now: Answer = 201;
  const server = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      pushes.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) });
      answer(reply, now);
    });
  });
  await new Promise<void>((open, failed) => server.once("error", failed).listen(portNumber, "127.0.0.1", open));
  return {
    pushes,
    /** What it received for one of its devices. */
    to: (name: string) => pushes.filter(({ path }) => path === `/${name}`),
    answer(wanted: Answer): void {
      now = wanted;
    },
    device: (name: string) => deviceAt(`http://${host}/${name}`),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function answer(reply: ServerResponse, wanted: Answer): void {
  if (wanted === "silent") return;
  if (wanted === "cut") return void reply.destroy();
  if (wanted === "redirect") return void reply.writeHead(307, { location: "/elsewhere" }).end();
  if (wanted === "later") return void reply.writeHead(429, { "retry-after": "1" }).end();
  if (wanted !== "endless") return void reply.writeHead(wanted).end();
  // A body that never ends; the reader has to hang up.
  reply.writeHead(201);
  const more = (): void => {
    while (!reply.destroyed && reply.write(Buffer.alloc(65_536)));
  };
  reply.on("drain", more).on("error", () => undefined);
  more();
}

/** A device as a browser has it: its keys, and where its push service takes messages. */
function deviceAt(endpoint: string) {
  const keys: ECDH = createECDH("prime256v1");
  keys.generateKeys();
  const auth = randomBytes(16);
  return {
    target: { endpoint, p256dh: keys.getPublicKey("base64url"), auth: auth.toString("base64url") },
    read: (body: Buffer): Record<string, unknown> => JSON.parse(decrypted(body, keys, auth).toString()),
  };
}

/** What a browser reads of a push (RFC 8291 over RFC 8188, one record). */
function decrypted(body: Buffer, keys: ECDH, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const record = body.subarray(21 + keyLength);
  const derive = (from: Buffer, salted: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync("sha256", from, salted, info, length));
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), sender]);
  const secret = derive(keys.computeSecret(sender), auth, info, 32);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const opened = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([opened.update(record.subarray(0, -16)), opened.final()]);
  return plain.subarray(0, plain.lastIndexOf(2));
}
