import { describePages } from '../support/page-quality.ts';

describePages({ width: 1440, height: 900 });
