/** A page address taken apart: the token that came in it, and the address without. */
export type Arrival = { readonly token: string | null; readonly clean: string };

/** Finds `?token=`; everything else of the address stays as it is. */
export function takeToken(href: string): Arrival {
  const url = new URL(href);
  const token = url.searchParams.get("token");
  url.searchParams.delete("token");
  return { token: token || null, clean: `${url.pathname}${url.search}${url.hash}` };
}
