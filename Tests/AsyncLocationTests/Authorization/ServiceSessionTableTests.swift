import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ServiceSessionTableTests {
  @Test func oneRequestServesTheSessionsOfAPurpose() {
    var table = ServiceSessionTable()
    let machine = AuthorizationStateMachine()
    for (id, purpose) in [(1, "docking"), (2, nil), (3, "docking"), (4, "map")]
      as [(UInt64, String?)]
    {
      table.open(id, .none, purpose: purpose, machine)
    }
    #expect(table.takePurpose() == "docking")
    #expect(table.takePurpose() == "map")
    #expect(table.takePurpose() == nil)
    table.authorizationChanged(machine)
    #expect(table.takePurpose() == "docking")
  }
}
