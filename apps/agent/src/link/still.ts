const PUT_MS_MAX = 4_000;

/** The address stills are put to: beside the agent link, over HTTP. */
export function stillUrl(platformUrl: string, machineId: string): URL {
  const url = new URL(platformUrl);
  url.protocol = url.protocol === "wss:" ? "https:" : "http:";
  url.search = "";
  url.pathname = `${url.pathname.replace(/\/$/, "")}/machines/${encodeURIComponent(machineId)}/still`;
  return url;
}

/** Puts one WebP to the platform with the agent's key. Rejects with a sentence. */
export async function putStill(
  platform: { url: string; key: string },
  machineId: string,
  webp: Uint8Array,
): Promise<void> {
  const answer = await fetch(stillUrl(platform.url, machineId), {
    method: "PUT",
    headers: { authorization: `Bearer ${platform.key}`, "content-type": "image/webp" },
    body: new Uint8Array(webp),
    redirect: "error",
    signal: AbortSignal.timeout(PUT_MS_MAX),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The platform did not take the still (HTTP ${answer.status}).`);
}
