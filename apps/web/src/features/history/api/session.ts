import { useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import { dataOf } from "../../../shared/api/client.ts";
import type { HistoryRow } from "../model/row.ts";
import { readRow } from "../model/row.ts";
import type { ListingSource } from "./listing.ts";

export type SessionDetail = {
  readonly session: HistoryRow;
  /** Minor units; undefined where the platform does not say. */
  readonly wagered: number | undefined;
  readonly won: number | undefined;
  readonly cashedIn: number | undefined;
  readonly cashedOut: number | undefined;
  readonly transfers: readonly HistoryRow[];
  readonly transfersAreMore: boolean;
};
/** `missing`: the player has no such session, or the platform serves no single one. */
export type SessionAnswer = { readonly is: "found"; readonly detail: SessionDetail } | { readonly is: "missing" };

/** Only the session itself must be there: everything else is read as far as it can be. */
const Answer = z.object({
  session: z.unknown(),
  wagered: z.optional(z.unknown()),
  won: z.optional(z.unknown()),
  cashed_in: z.optional(z.unknown()),
  cashed_out: z.optional(z.unknown()),
  transfers: z.optional(z.unknown()),
  transfersAreMore: z.optional(z.unknown()),
});

/** More transfers than this are not drawn, whatever a platform sends. */
const TRANSFERS_MAX = 200;

/** One play session. Undefined: none is wanted, or it is on its way. A failure counts as missing: the list's row is shown. */
export function useSession(source: ListingSource, id: string | undefined): SessionAnswer | undefined {
  const query = useQuery({
    queryKey: ["history", "session", id],
    queryFn: ({ signal }) => fetchSession(source, id ?? "", signal),
    enabled: id !== undefined,
    staleTime: 10_000,
    refetchOnWindowFocus: false,
  });
  if (query.isError) return { is: "missing" };
  return query.data;
}

async function fetchSession({ api, at }: ListingSource, id: string, signal: AbortSignal): Promise<SessionAnswer> {
  // Browsers take these for folders.
  if (/^\.{1,2}$/.test(id)) return { is: "missing" };
  const own = new URL(at);
  own.pathname = `${own.pathname.replace(/\/$/, "")}/${encodeURIComponent(id)}`;
  const answer = await api.read("session", { at: own, signal }, Answer);
  if (!answer.ok && answer.failure.httpStatus === 404) return { is: "missing" };
  const { session, wagered, won, cashed_in, cashed_out, transfers, transfersAreMore } = dataOf(answer);
  const row = readRow(session, 0);
  if (row === undefined) return { is: "missing" };
  const moved = Array.isArray(transfers) ? transfers.slice(0, TRANSFERS_MAX) : [];
  return {
    is: "found",
    detail: {
      session: row,
      wagered: amountIn(wagered),
      won: amountIn(won),
      cashedIn: amountIn(cashed_in),
      cashedOut: amountIn(cashed_out),
      transfers: moved.flatMap((given, place) => readRow(given, place) ?? []),
      transfersAreMore: transfersAreMore === true || (Array.isArray(transfers) && transfers.length > TRANSFERS_MAX),
    },
  };
}

const amountIn = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
