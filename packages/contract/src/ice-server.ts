import * as z from "zod/mini";

/** An ICE server as RTCPeerConnection takes it. Credentials are never logged. */
export const IceServer = z.object({
  urls: z.union([z.string(), z.array(z.string())]),
  username: z.optional(z.string()),
  credential: z.optional(z.string()),
});
export type IceServer = z.infer<typeof IceServer>;
