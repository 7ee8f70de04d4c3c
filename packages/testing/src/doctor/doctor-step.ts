import type { DoctorSite } from './doctor-site.ts';
import type { Finding } from './finding.ts';

/** One question of the doctor. */
export interface DoctorStep {
  /** One or two words in kebab-case, for programs. */
  readonly id: string;
  /** For a person, answered with yes where all is well. */
  readonly question: string;
  /** The transport that the question is about; absent where it is about each. */
  readonly transport?: 'http' | 'stdio';
  /** Looks, and answers what was found. It rejects only with what the caller's signal gives as its reason. */
  run(site: DoctorSite): Promise<Finding>;
}
