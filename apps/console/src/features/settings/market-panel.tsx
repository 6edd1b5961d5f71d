import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useConsole } from "../../shared/console.ts";
import { useMe, useOnline } from "../../shared/me.ts";
import { dayText, whenText } from "../../shared/times.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Facts, Loaded, Note, Panel, panelCss, Scroller, Tag } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import { SelectField } from "../../shared/ui/select-field.tsx";
import { useValueText } from "../../shared/value-text.ts";
import css from "./settings.module.css";

type Markets = AnswerOf<"markets">;
type Market = Markets["markets"][number];
type Rule = Market["rules"][number];
type Change = Extract<AnswerOf<"chooseMarket">, { is: "done" }>["result"]["changes"][number];

/** The venue's market with each of its rules, its clause and the date of its text; and the way to choose another. */
export function MarketPanel({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const markets = useRead("markets");
  return (
    <Loaded of={markets}>
      {(found) => (
        <>
          <Chosen found={found} />
          <Rules key={venueOf(found)} found={found} mayChange={mayChange} title={t("market.rules")} />
        </>
      )}
    </Loaded>
  );
}

/** The id of the venue's market. */
const venueOf = ({ choices }: Markets): string => choices.find(({ scope }) => scope === "venue")?.market ?? "none";

function useNameOf({ markets }: Markets): (id: string | null) => string {
  const { t, find } = useText();
  return (id) => {
    if (id === null) return t("market.ofVenue");
    return find(`market.name_${id.replaceAll("-", "")}`) ?? markets.find((one) => one.id === id)?.name ?? id;
  };
}

/** Whose market was chosen, by whom and why. */
function Chosen({ found }: { readonly found: Markets }) {
  const { t, language } = useText();
  const { clock } = useConsole();
  const { venue } = useMe();
  const nameOf = useNameOf(found);
  const at = (when: string) => whenText(when, clock.now(), venue.timeZone, language);
  return (
    <Panel title={t("market.title")} foot={t("market.foot")}>
      <div className={panelCss["body"]}>
        {found.choices.length === 0 && <Note kind="wait">{t("market.noneChosen")}</Note>}
        <Facts
          rows={found.choices.map(({ scope, subject, name, market, by, reason, at: when }) => [
            scope === "venue" ? t("market.venue") : `${t(`market.scope_${scope}`)} ${name}`,
            <span key={subject}>
              <b>{nameOf(market)}</b>
              <small className={css["aside"]}>
                {reason} · {by}, {at(when)}
              </small>
            </span>,
          ])}
        />
      </div>
    </Panel>
  );
}

function Rules(props: { readonly found: Markets; readonly mayChange: boolean; readonly title: string }) {
  const { t } = useText();
  const { found } = props;
  const online = useOnline();
  const nameOf = useNameOf(found);
  const held = venueOf(found);
  const [looked, look] = useState(held);
  const [open, setOpen] = useState(false);
  const market = found.markets.find(({ id }) => id === looked);
  if (market === undefined) return null;
  return (
    <Panel
      title={props.title}
      about={market.currency === null ? undefined : t("market.amounts", { currency: market.currency })}
      foot={t("market.readAbout")}
    >
      <div className={panelCss["body"]}>
        <SelectField
          label={t("market.look")}
          value={looked}
          onChange={look}
          choices={found.markets.map(({ id }) => [
            id,
            id === held ? `${nameOf(id)} · ${t("market.holds")}` : nameOf(id),
          ])}
        />
        {props.mayChange && looked !== held && (
          <div>
            <Key kind="brass" disabled={!online} onClick={() => setOpen(true)}>
              {t("market.choose", { market: nameOf(looked) })}
            </Key>
          </div>
        )}
      </div>
      <RuleTable market={market} />
      <FormSheet open={open} title={t("market.choose", { market: nameOf(looked) })} onClose={() => setOpen(false)}>
        <ChooseForm found={found} market={looked} close={() => setOpen(false)} />
      </FormSheet>
    </Panel>
  );
}

function RuleTable({ market }: { readonly market: Market }) {
  const { t } = useText();
  return (
    <Scroller className={css["rules"]}>
      <table className={panelCss["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("market.rule")}</th>
            <th scope="col">{t("market.value")}</th>
            <th scope="col">{t("market.clause")}</th>
            <th scope="col">{t("market.seen")}</th>
          </tr>
        </thead>
        <tbody>
          {market.rules.map((rule) => (
            <RuleRow key={rule.name} rule={rule} currency={market.currency ?? undefined} />
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}

function RuleRow(props: { readonly rule: Rule; readonly currency: string | undefined }) {
  const { name, value, source } = props.rule;
  const { t, language } = useText();
  const valueText = useValueText();
  const ruleText = useRuleText();
  return (
    <tr>
      <th scope="row">
        {ruleText(name)}
        <small className={css["aside"]}>
          <code className="ltr">{name}</code>
        </small>
      </th>
      <td>{valueText(value, name, props.currency)}</td>
      <td>
        {source === null ? (
          <span className="soft">{t("market.ours")}</span>
        ) : (
          <>
            <bdi>{source.clause}</bdi>
            <small className={css["aside"]}>{dayText(source.version, language)}</small>
          </>
        )}
      </td>
      <td>
        {source !== null && (
          <Tag {...(source.seen === "unchecked" && { kind: "wait" as const })}>{t(`market.seen_${source.seen}`)}</Tag>
        )}
      </td>
    </tr>
  );
}

/** What a rule says, in words; a rule of a newer platform by its name. */
function useRuleText(): (name: string) => string {
  const { find } = useText();
  return (name) => find(`market.rule_${name}`) ?? name;
}

/** What would change, as the platform itself says, before the reason and the key. */
function ChooseForm(props: { readonly found: Markets; readonly market: string; readonly close: () => void }) {
  const { t } = useText();
  const { found, market } = props;
  const nameOf = useNameOf(found);
  const [held] = useState(() => found.choices.find(({ scope }) => scope === "venue")?.market ?? null);
  const currency = useCurrency();
  const fields = { scope: "venue", market, expected: held, amountsIn: currency } as const;
  const preview = usePreview(fields);
  return (
    <ReasonForm
      name="chooseMarket"
      params={{}}
      fields={fields}
      title={t("market.choose", { market: nameOf(market) })}
      about={t("market.chooseAbout")}
      lines={[
        [t("market.before"), nameOf(held ?? "none")],
        [t("market.after"), nameOf(market)],
      ]}
      reads={["markets"]}
      said={t("market.chosenSaid", { market: nameOf(market) })}
      close={props.close}
    >
      <Loaded of={preview}>
        {(answer) => answer.is === "dryRun" && <Preview answer={answer} currency={currency} />}
      </Loaded>
    </ReasonForm>
  );
}

type DryRun = Extract<AnswerOf<"chooseMarket">, { is: "dryRun" }>;

/** Which rules change, whether a second person signs, and in which currency the market means its amounts. */
function Preview({ answer, currency }: { readonly answer: DryRun; readonly currency: string }) {
  const { t } = useText();
  const { changes, amounts } = answer.result;
  return (
    <>
      {answer.needsApproval && <Note kind="wait">{t("market.needsSecond")}</Note>}
      {amounts && amounts.currency !== currency && (
        <Note kind="wait">{t("market.amountsOther", { currency: amounts.currency, venue: currency })}</Note>
      )}
      <Changes changes={changes} />
    </>
  );
}

type Fields = {
  readonly scope: "venue";
  readonly market: string;
  readonly expected: string | null;
  readonly amountsIn: string;
};

function usePreview(fields: Fields) {
  const { api } = useConsole();
  const { person } = useMe();
  return useQuery({
    queryKey: ["marketPreview", fields],
    // A dry run is rolled back with its id, so that each may have the same.
    queryFn: () =>
      api.call("chooseMarket", {
        body: { id: `preview-${person.id}`.slice(0, 64), dryRun: true, reason: "preview", ...fields },
      }),
    gcTime: 0,
    retry: false,
  });
}

const LAMPS = { stricter: "available", looser: "waiting", different: "off" } as const;

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  const { t } = useText();
  const ruleText = useRuleText();
  const valueText = useValueText();
  if (changes.length === 0) return <p className="soft">{t("market.noChanges")}</p>;
  return (
    <ul className={css["ruleChanges"]} aria-label={t("market.changes")}>
      {changes.map(({ name, before, after, becomes }) => (
        <li key={name}>
          <span>
            {ruleText(name)}
            <small className={css["aside"]}>
              {t("market.value_becomes", { before: valueText(before, name), after: valueText(after, name) })}
            </small>
          </span>
          <Lamp status={LAMPS[becomes]}>{t(`market.becomes_${becomes}`)}</Lamp>
        </li>
      ))}
    </ul>
  );
}
