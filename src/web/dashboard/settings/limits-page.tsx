import { Loaded } from '../frame/loaded.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { useEnvironment } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { ENVIRONMENT_SETTINGS } from './documents.ts';
import { ExportButton } from './export-button.tsx';
import { LimitsForm } from './limits-form.tsx';
import { LastSweep, RetentionForm } from './retention-form.tsx';
import { TimeZoneForm } from './time-zone-form.tsx';

export function Page() {
  const environment = useEnvironment();
  const query = useServiceQuery(ENVIRONMENT_SETTINGS, {});
  return (
    <PageFrame
      title="Limits and retention"
      lead={
        <>
          Settings of the <strong className="font-semibold text-ink">{environment}</strong> environment.
        </>
      }
    >
      <Loaded query={query}>
        {({ environmentLimits, retention, timeZone }) => (
          <>
            <Section title="Limits">
              <LimitsForm limits={environmentLimits} />
            </Section>
            <Section title="Time zone">
              <TimeZoneForm timeZone={timeZone} />
            </Section>
            <Section title="Retention">
              <RetentionForm retention={retention} />
            </Section>
            <Section title="Last sweep">
              <LastSweep sweep={retention.lastSweep} />
            </Section>
            <Section title="Export">
              <ExportButton />
            </Section>
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}
