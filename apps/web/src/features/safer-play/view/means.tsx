import type { MeansAnswer } from "@longarm/contract/player-care";
import { letterCalls } from "@longarm/contract/player-care";
import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyParts, moneyText } from "@longarm/ui/money/format.ts";
import { AMOUNT_LENGTH_MAX, readAmount } from "@longarm/ui/money/read-amount.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { dataOf } from "../../../shared/api/client.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import type { SaferPlayDeps } from "../limits.ts";
import css from "./means.module.css";

const QUERY_KEY = ["means"];
type Deps = Pick<SaferPlayDeps, "api" | "messages">;

/** What the player can afford to lose in a month, where a market wants to know. A platform without it answers 404. */
export function Means({ deps }: { readonly deps: Deps }) {
  const { data } = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async ({ signal }) => {
      const answer = await deps.api.make(letterCalls.means, { signal });
      return !answer.ok && answer.failure.httpStatus === 404 ? "absent" : dataOf(answer);
    },
  });
  if (data === undefined || data === "absent" || !data.wanted) return null;
  return <MeansForm deps={deps} means={data} />;
}

function MeansForm({ deps, means: { declared, counts } }: { readonly deps: Deps; readonly means: MeansAnswer }) {
  const speech = useText();
  const { t, language } = speech;
  const currency = useCurrency();
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const said = (minor: number) => moneyText(minor, currency, language, true);
  const read = readAmount(typed, moneyParts(0, currency, language).symbol);
  const isWrong = typed.trim() !== "" && read.is !== "amount";
  async function keep(): Promise<void> {
    if (read.is !== "amount") return;
    setBusy(true);
    const answer = await deps.api.make(letterCalls.declareMeans, { body: { amount: read.minor } });
    setBusy(false);
    if (!answer.ok) return deps.messages.say("bad", failureText(speech, answer.failure));
    queries.setQueryData(QUERY_KEY, answer.data);
    setTyped("");
  }
  return (
    <section className={css["means"]}>
      <h2>{t("saferPlay.means")}</h2>
      <p>{t("saferPlay.meansAbout")}</p>
      {declared !== null && <p role="status">{t("saferPlay.meansNow", { amount: said(declared) })}</p>}
      {counts !== null && counts !== declared && <p>{t("saferPlay.meansLater", { amount: said(counts) })}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void keep();
        }}
      >
        <Field
          label={t("saferPlay.meansField")}
          error={isWrong ? t("saferPlay.notAmount") : undefined}
          value={typed}
          maxLength={AMOUNT_LENGTH_MAX}
          inputMode="decimal"
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
        />
        <Key type="submit" busy={busy} disabled={read.is !== "amount"}>
          {t("saferPlay.meansKeep")}
        </Key>
      </form>
    </section>
  );
}
