import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Money } from "@longarm/ui/money/money.tsx";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useSkewMs } from "../../shared/me.ts";
import { Facts } from "../../shared/ui/panel.tsx";
import { useWhen } from "../../shared/use-when.ts";
import css from "./promotions.module.css";

export type CampaignRow = AnswerOf<"campaigns">["rows"][number];
export type Campaign = AnswerOf<"campaign">;
export type Reach = NonNullable<Campaign["reach"]>;

/** Whether it grants now, and until or since when. */
export function StateLamp({ campaign }: { readonly campaign: CampaignRow }) {
  const { t } = useText();
  const { clock } = useConsole();
  const skew = useSkewMs();
  const when = useWhen();
  const { state, startsAt, endsAt } = campaign;
  if (state === "draft") return <Lamp status="off">{t("promotions.state_draft")}</Lamp>;
  if (state === "paused") return <Lamp status="waiting">{t("promotions.state_paused")}</Lamp>;
  if (state === "ended") return <Lamp status="off">{t("promotions.state_ended")}</Lamp>;
  if (Date.parse(startsAt) > clock.now() + skew)
    return <Lamp status="reserved">{t("promotions.begins", { time: when(startsAt) })}</Lamp>;
  return <Lamp status="available">{t("promotions.runsUntil", { time: when(endsAt) })}</Lamp>;
}

/** What was granted of the budget; the part that was claimed is brighter. */
export function BudgetBar({ campaign }: { readonly campaign: CampaignRow }) {
  const { granted, claimed, budget } = campaign;
  const share = (part: number) => ({ inlineSize: `${(100 * part) / budget}%` });
  return (
    <span className={css["bar"]} aria-hidden="true">
      <i data-granted style={share(granted)} />
      <i style={share(claimed)} />
    </span>
  );
}

/** For whom it is, in words. */
export function useAudienceText(): (audience: Campaign["audience"]) => string {
  const { t } = useText();
  const when = useWhen();
  return (audience) => {
    if (audience.is === "list") return t("promotions.who_list", { count: audience.players.length });
    const span = { from: when(audience.from), until: when(audience.until) };
    if (audience.is === "registered") return t("promotions.who_registered", span);
    if (audience.brand === undefined) return t("promotions.who_played", span);
    return t("promotions.who_brand", { ...span, brand: audience.brand });
  };
}

/** Whom it would reach if it ran now. */
export function ReachFacts({ reach }: { readonly reach: Reach }) {
  const { t } = useText();
  return (
    <Facts
      rows={[
        [t("promotions.reachPlayers"), <b key="players">{reach.players}</b>],
        [t("promotions.reachAmount"), <Money key="amount" minor={reach.amount} tone="ink" />],
        [t("promotions.reachKept"), reach.keptOut],
        ...(reach.given > 0 ? [[t("promotions.reachGiven"), reach.given] as const] : []),
        ...(reach.beyondBudget > 0 ? [[t("promotions.reachBeyond"), reach.beyondBudget] as const] : []),
      ]}
    />
  );
}
