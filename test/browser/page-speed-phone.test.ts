import { describePages } from '../support/page-quality.ts';

describePages({ width: 390, height: 844 });
