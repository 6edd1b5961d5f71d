import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { CallProblem } from "../../shared/api.ts";
import { useKeys } from "../../shared/desk.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { Page } from "../../shared/ui/page.tsx";
import { Empty, Facts, Loaded, Note, Panel, panelCss, Scroller } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useWhen } from "../../shared/use-when.ts";
import type { CampaignAct } from "./campaign-acts.tsx";
import { ActSheet, offeredActs } from "./campaign-acts.tsx";
import { CampaignSheet } from "./campaign-form.tsx";
import type { Campaign } from "./campaign-view.tsx";
import { BudgetBar, ReachFacts, StateLamp, useAudienceText } from "./campaign-view.tsx";
import css from "./promotions.module.css";

/** One campaign: what it promises, what it has granted to whom, and what may be done with it. */
export function CampaignPage() {
  const { t } = useText();
  const { id = "" } = useParams({ strict: false }) as { readonly id?: string };
  const campaign = useRead("campaign", { params: { id } });
  const isUnknown = campaign.error instanceof CallProblem && campaign.error.problem === "thing.unknown";
  return (
    <Page title={t("promotions.one")}>
      <p>
        <Link to={paths.promotions} className={css["back"]}>
          {t("promotions.back")}
        </Link>
      </p>
      {isUnknown ? (
        <Empty icon="search" title={t("promotions.unknown")} />
      ) : (
        <Loaded of={campaign}>{(data) => <Whole campaign={data} />}</Loaded>
      )}
    </Page>
  );
}

function Whole({ campaign }: { readonly campaign: Campaign }) {
  const { t } = useText();
  return (
    <>
      <div className={css["columns"]}>
        <Overview campaign={campaign} />
        <div className={css["stack"]}>
          <Acts campaign={campaign} />
          {campaign.reach !== null && (
            <Panel title={t("promotions.reach")}>
              <div className={panelCss["body"]}>
                <ReachFacts reach={campaign.reach} />
                <Note>{t("promotions.protection")}</Note>
              </div>
            </Panel>
          )}
        </div>
      </div>
      <Received campaign={campaign} />
    </>
  );
}

function Overview({ campaign }: { readonly campaign: Campaign }) {
  const { t, language } = useText();
  const currency = useCurrency();
  const when = useWhen();
  const audienceText = useAudienceText();
  const { granted, claimed, open, budget, amount, players, claims, audience } = campaign;
  const said = (minor: number) => moneyText(minor, currency, language, true);
  const money = (minor: number) => <Money minor={minor} tone="ink" />;
  const { startedBy, signedBy, endReason } = campaign;
  return (
    <Panel title={campaign.name} tools={<StateLamp campaign={campaign} />}>
      <div className={panelCss["body"]}>
        <div className={css["spent"]}>
          <p>
            <b>
              <Money minor={granted} tone="ink" />
            </b>{" "}
            <span className="soft">{t("promotions.grantedOf", { amount: said(budget) })}</span>
          </p>
          <BudgetBar campaign={campaign} />
        </div>
        <Facts
          rows={[
            [t("promotions.reached"), players],
            [t("promotions.claims"), claims],
            [t("promotions.cost"), money(claimed)],
            [t("promotions.open"), money(open)],
            [t("promotions.left"), money(budget - granted)],
          ]}
        />
        <hr className={css["line"]} />
        <Facts
          rows={[
            [t("promotions.each"), money(amount)],
            [t("promotions.who"), audienceText(audience)],
            [t("promotions.runsFrom"), when(campaign.startsAt)],
            [t("promotions.runsTo"), when(campaign.endsAt)],
            [t("promotions.claimDays"), t("promotions.days", { count: campaign.claimDays })],
            [t("promotions.writtenBy"), campaign.addedBy],
            ...(startedBy === null ? [] : [[t("promotions.startedBy"), startedBy] as const]),
            ...(signedBy === null ? [] : [[t("promotions.signedBy"), signedBy] as const]),
            ...(endReason === null ? [] : [[t("promotions.endReason"), t(`promotions.ended_${endReason}`)] as const]),
          ]}
        />
        {audience.is === "list" && (
          <p className={css["names"]} dir="auto">
            {audience.players.map(({ username }) => username).join(", ")}
          </p>
        )}
      </div>
    </Panel>
  );
}

const LOOKS = { start: "brass", pause: "line", resume: "brass", end: "danger" } as const satisfies Record<
  CampaignAct,
  string
>;

/** What this person may do with it now; each act opens its sheet. */
function Acts({ campaign }: { readonly campaign: Campaign }) {
  const { t } = useText();
  const online = useOnline();
  const mayRun = useMay("promotion.run");
  const [act, setAct] = useState<CampaignAct>();
  const [form, setForm] = useState<"change" | "again">();
  const offered = mayRun ? offeredActs(campaign) : [];
  const first = offered.find((one) => one !== "end");
  useKeys(first === undefined ? [] : [{ keys: "x", label: t(`promotions.${first}Act`), run: () => setAct(first) }]);
  if (!mayRun) return null;
  const isDraft = campaign.state === "draft";
  return (
    <Panel title={t("promotions.acts")}>
      <div className={`${panelCss["body"]} ${css["acts"]}`}>
        {offered.map((one) => (
          <Key key={one} kind={LOOKS[one]} disabled={!online} onClick={() => setAct(one)}>
            {t(one === "end" && isDraft ? "promotions.discard" : `promotions.${one}`)}
          </Key>
        ))}
        {isDraft && (
          <Key kind="line" disabled={!online} onClick={() => setForm("change")}>
            {t("promotions.change")}
          </Key>
        )}
        <Key kind="bare" disabled={!online} onClick={() => setForm("again")}>
          {t("promotions.again")}
        </Key>
      </div>
      <ActSheet campaign={campaign} act={act} close={() => setAct(undefined)} />
      <CampaignSheet
        open={form !== undefined}
        from={campaign}
        changes={form === "change"}
        close={() => setForm(undefined)}
      />
    </Panel>
  );
}

type Grant = AnswerOf<"campaignGrants">["rows"][number];

function Received({ campaign: { id, state } }: { readonly campaign: Campaign }) {
  const { t } = useText();
  const [after, setAfter] = useState<readonly string[]>([]);
  const grants = useRead(
    "campaignGrants",
    { params: { id }, query: { after: after.at(-1), limit: 50 } },
    state !== "draft",
  );
  if (state === "draft") return null;
  const next = grants.data?.next;
  return (
    <Panel
      title={t("promotions.received")}
      tools={
        (after.length > 0 || next) && (
          <>
            <Key kind="bare" disabled={after.length === 0} onClick={() => setAfter(after.slice(0, -1))}>
              {t("promotions.newer")}
            </Key>
            <Key kind="bare" disabled={!next} onClick={() => next && setAfter([...after, next])}>
              {t("promotions.older")}
            </Key>
          </>
        )
      }
    >
      <Loaded of={grants}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title={t("promotions.receivedNone")} body={t("promotions.receivedNoneAbout")} />
          ) : (
            <Scroller>
              <table className={panelCss["table"]}>
                <thead>
                  <tr>
                    <th scope="col">{t("promotions.player")}</th>
                    <th scope="col" data-number className={css["wide"]}>
                      {t("app.amount")}
                    </th>
                    <th scope="col">{t("promotions.state")}</th>
                    <th scope="col" className={css["wide"]}>
                      {t("promotions.when")}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((grant) => (
                    <GrantRow key={grant.id} grant={grant} />
                  ))}
                </tbody>
              </table>
            </Scroller>
          )
        }
      </Loaded>
    </Panel>
  );
}

function GrantRow({ grant: { player, amount, state, grantedAt, claimedAt, expiresAt } }: { readonly grant: Grant }) {
  const { t } = useText();
  const when = useWhen();
  const seesPlayer = useMay("player.see");
  return (
    <tr className={css["row"]}>
      <td className={css["name"]}>
        {seesPlayer ? <Link to={`${paths.players}/${player.id}`}>{player.username}</Link> : player.username}
      </td>
      <td data-number className={css["wide"]}>
        <Money minor={amount} tone="ink" />
      </td>
      <td>
        {state === "claimed" && (
          <Lamp status="available">{t("promotions.claimedAt", { time: when(claimedAt ?? grantedAt) })}</Lamp>
        )}
        {state === "open" && (
          <Lamp status="waiting">{t("promotions.claimableUntil", { time: when(expiresAt ?? grantedAt) })}</Lamp>
        )}
        {state === "expired" && <Lamp status="off">{t("promotions.expired")}</Lamp>}
      </td>
      <td className={`soft ${css["wide"]}`}>{when(grantedAt)}</td>
    </tr>
  );
}
