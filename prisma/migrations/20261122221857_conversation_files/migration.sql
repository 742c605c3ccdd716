-- The messages with files. Conversation.files reads them, however many other messages a conversation has.

-- CreateIndex
CREATE INDEX "timeline_item_files" ON "timeline_item"("conversation_id", "id") WHERE (content @? '$[*]?(@."type" != "text")');
