const PUT_MS_MAX = 4_000;

/** An address beside the agent link, over HTTP. */
export function agentUrl(platformUrl: string, path: string): URL {
  const url = new URL(platformUrl);
  url.protocol = url.protocol === "wss:" ? "https:" : "http:";
  url.search = "";
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}

/** Puts one WebP to the platform with the agent's key. Rejects with a sentence. */
export async function putStill(
  platform: { url: string; key: string },
  machineId: string,
  webp: Uint8Array,
): Promise<void> {
  const answer = await fetch(agentUrl(platform.url, `machines/${encodeURIComponent(machineId)}/still`), {
    method: "PUT",
    headers: { authorization: `Bearer ${platform.key}`, "content-type": "image/webp" },
    body: new Uint8Array(webp),
    redirect: "error",
    signal: AbortSignal.timeout(PUT_MS_MAX),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The platform did not take the still (HTTP ${answer.status}).`);
}
