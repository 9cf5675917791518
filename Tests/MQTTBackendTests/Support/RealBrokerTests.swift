import TestSupport
import Testing

/// The lines that tests read in a broker's log.
@Suite(.inTurn) struct RealBrokerTests {
  /// The phrases with which mosquitto logs that a client ended.
  @Test(arguments: [
    "Client display disconnected.",
    "Client display disconnected: Broken pipe.",
    "Client display disconnected due to protocol error.",
    "Client display disconnected, not authorised.",
    "Client display closed its connection.",
    "Client display has exceeded timeout, disconnecting.",
    "Client display been disconnected by administrative action.",
    "Client display already connected, closing old connection.",
  ])
  func linesOfEndedClientsAreRecognized(_ line: String) {
    #expect(RealBroker.ended(in: "1777863600: " + line) == "display")
  }

  @Test(arguments: [
    "Client <unknown> closed its connection.",
    "New client connected from 127.0.0.1:51188 as display (p5, c0, k600).",
    "Received DISCONNECT from display",
    "Client display",
  ])
  func otherLinesAreNotRecognized(_ line: String) {
    #expect(RealBroker.ended(in: "1777863600: " + line) == nil)
  }
}
