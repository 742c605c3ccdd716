import { mount, pageData } from '../ui/mount.tsx';
import { type ChatData, ChatPage } from './page.tsx';

mount(<ChatPage {...pageData<ChatData>()} />);
