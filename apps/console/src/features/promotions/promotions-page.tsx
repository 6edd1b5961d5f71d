import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Segment } from "@longarm/ui/segment.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useKeys } from "../../shared/desk.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Loaded, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAdding } from "../../shared/ui/use-adding.ts";
import { CampaignSheet } from "./campaign-form.tsx";
import type { CampaignRow } from "./campaign-view.tsx";
import { BudgetBar, StateLamp } from "./campaign-view.tsx";
import css from "./promotions.module.css";

const WHICH = ["all", "open", "ended"] as const;
type Which = (typeof WHICH)[number];
const EMPTY = { all: "promotions.none", open: "promotions.noneOpen", ended: "promotions.noneEnded" } as const;
/** More than a venue keeps open; older ones come by the command line. */
const ROWS = 200;

/** Campaigns: what runs, what it has granted of its budget, and what it costs. */
export function PromotionsPage() {
  const { t } = useText();
  const online = useOnline();
  const mayRun = useMay("promotion.run");
  const { adding, setAdding } = useAdding(paths.promotions);
  const [which, setWhich] = useState<Which>("all");
  const campaigns = useRead("campaigns", { query: { state: which, limit: ROWS } });
  useKeys(mayRun ? [{ keys: "n", label: t("promotions.add"), run: () => setAdding(true) }] : []);
  const running = campaigns.data?.rows.filter(({ state }) => state === "running").length;
  return (
    <Page
      title={t("app.promotions")}
      about={running === undefined || which === "ended" ? undefined : t("promotions.count", { count: running })}
    >
      <div className={css["tools"]}>
        <Segment<Which>
          label={t("promotions.which")}
          value={which}
          onChange={setWhich}
          options={WHICH.map((value) => ({ value, label: t(`promotions.which_${value}`) }))}
        />
        {mayRun && (
          <Key kind="brass" icon="plus" disabled={!online} onClick={() => setAdding(true)}>
            {t("promotions.add")}
          </Key>
        )}
      </div>
      <Panel title={t("promotions.campaigns")} foot={t("promotions.protection")}>
        <Loaded of={campaigns}>
          {({ rows }) =>
            rows.length === 0 ? (
              <Empty
                icon={which === "all" ? "check" : "search"}
                title={t(EMPTY[which])}
                body={t(which === "all" ? "promotions.noneAbout" : "promotions.noneWhich")}
              />
            ) : (
              <Campaigns rows={rows} />
            )
          }
        </Loaded>
      </Panel>
      <CampaignSheet open={mayRun && adding} close={() => setAdding(false)} />
    </Page>
  );
}

function Campaigns({ rows }: { readonly rows: readonly CampaignRow[] }) {
  const { t } = useText();
  return (
    <Scroller>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("promotions.one")}</th>
            <th scope="col" className={css["wide"]}>
              {t("promotions.state")}
            </th>
            <th scope="col" data-number className={css["wide"]}>
              {t("promotions.reached")}
            </th>
            <th scope="col" data-number className={css["rest"]}>
              {t("promotions.claims")}
            </th>
            <th scope="col" data-number className={css["rest"]} title={t("promotions.costAbout")}>
              {t("promotions.cost")}
            </th>
            <th scope="col">{t("promotions.ofBudget")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((campaign) => (
            <Row key={campaign.id} campaign={campaign} />
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function Row({ campaign }: { readonly campaign: CampaignRow }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const amount = (minor: number) => moneyText(minor, currency, language, true);
  const { id, name, state, players, claims, claimed, granted, budget } = campaign;
  return (
    <tr data-ended={state === "ended" || undefined} className={css["row"]}>
      <td className={css["name"]}>
        <Link to={`${paths.promotions}/$id` as string} params={{ id } as never}>
          <bdi>{name}</bdi>
        </Link>
        <small>{t("promotions.eachOf", { amount: amount(campaign.amount) })}</small>
        <span className={css["narrow"]}>
          <StateLamp campaign={campaign} />
        </span>
      </td>
      <td className={css["wide"]}>
        <StateLamp campaign={campaign} />
      </td>
      <td data-number className={css["wide"]}>
        {players}
      </td>
      <td data-number className={css["rest"]}>
        {claims}
      </td>
      <td data-number className={css["rest"]}>
        <Money minor={claimed} tone="ink" />
      </td>
      <td className={css["budget"]}>
        <BudgetBar campaign={campaign} />
        <small>
          <Money minor={granted} tone="ink" /> <span>{t("promotions.of", { amount: amount(budget) })}</span>
        </small>
      </td>
    </tr>
  );
}
