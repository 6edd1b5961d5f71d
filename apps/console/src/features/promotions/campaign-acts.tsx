import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { moneyText } from "@longarm/ui/money/format.ts";
import { useMe } from "../../shared/me.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import type { Campaign } from "./campaign-view.tsx";
import { ReachFacts } from "./campaign-view.tsx";

export type CampaignAct = "start" | "pause" | "resume" | "end";

/** What an act changes on the screens. */
export const CAMPAIGN_READS = ["campaigns", "campaign", "campaignGrants", "approvals"] as const;

const OFFERED = {
  draft: ["start", "end"],
  running: ["pause", "end"],
  paused: ["resume", "end"],
  ended: [],
} as const satisfies Record<Campaign["state"], readonly CampaignAct[]>;

/** The acts that fit its state, the next step first. */
export const offeredActs = ({ state }: Campaign): readonly CampaignAct[] => OFFERED[state];

/** The sheet of one act with one campaign. */
export function ActSheet(props: {
  readonly campaign: Campaign;
  readonly act: CampaignAct | undefined;
  readonly close: () => void;
}) {
  const { campaign, act, close } = props;
  return (
    <FormSheet open={act !== undefined} title={campaign.name} onClose={close}>
      {act === "start" && <StartForm campaign={campaign} close={close} />}
      {act !== undefined && act !== "start" && <StepForm campaign={campaign} act={act} close={close} />}
    </FormSheet>
  );
}

type FormProps = { readonly campaign: Campaign; readonly close: () => void };

/** The mark says which campaign the person saw: one that changed meanwhile is not started. */
function StartForm({ campaign, close }: FormProps) {
  const { t, language } = useText();
  const currency = useCurrency();
  const { venue, limits } = useMe();
  const alone = moneyText(limits.bonus ?? 0, currency, language, true);
  return (
    <ReasonForm
      name="startCampaign"
      params={{ id: campaign.id }}
      fields={{ mark: campaign.mark }}
      title={t("promotions.startAct")}
      about={t("promotions.startAbout")}
      lines={[
        [t("promotions.one"), campaign.name],
        [t("promotions.each"), moneyText(campaign.amount, currency, language, true)],
      ]}
      amount={campaign.budget}
      checks
      reads={CAMPAIGN_READS}
      said={t("promotions.started")}
      close={close}
    >
      {campaign.reach !== null && <ReachFacts reach={campaign.reach} />}
      {venue.secondPerson && <Note>{t("promotions.startAlone", { amount: alone })}</Note>}
    </ReasonForm>
  );
}

const STEPS = {
  pause: { call: "pauseCampaign", said: "promotions.paused" },
  resume: { call: "resumeCampaign", said: "promotions.resumed" },
  end: { call: "endCampaign", said: "promotions.endedSaid" },
} as const;

function StepForm({ campaign, act, close }: FormProps & { readonly act: keyof typeof STEPS }) {
  const { t } = useText();
  const { call, said } = STEPS[act];
  const words = act === "end" && campaign.state === "draft" ? "discard" : act;
  return (
    <ReasonForm
      name={call}
      params={{ id: campaign.id }}
      title={t(`promotions.${words}Act`)}
      about={t(`promotions.${words}About`)}
      lines={[[t("promotions.one"), campaign.name]]}
      danger={act === "end"}
      reads={CAMPAIGN_READS}
      said={t(said)}
      close={close}
    />
  );
}
