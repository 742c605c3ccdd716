import { mount } from '../ui/mount.tsx';

mount(<main />);
