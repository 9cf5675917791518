import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct CompassSelectionTests {
  @Test func oneCompassIsUsedUntilItIsSilent() {
    var compasses = CompassSelection(timeout: .seconds(5))
    let (first, second) = (ReceiverSelection.ID(rawValue: 1), ReceiverSelection.ID(rawValue: 2))
    #expect(!compasses.isActive(at: .zero))
    var serves = compasses.serves(first, at: .zero)
    #expect(serves)
    #expect(compasses.isActive(at: .seconds(5)))
    #expect(!compasses.isActive(at: .seconds(6)))
    serves = compasses.serves(second, at: .seconds(5))
    #expect(!serves)
    serves = compasses.serves(second, at: .seconds(6))
    #expect(serves)
    serves = compasses.serves(first, at: .seconds(7))
    #expect(!serves)
    compasses.remove(first)
    #expect(compasses.isActive(at: .seconds(7)))
    compasses.remove(second)
    #expect(!compasses.isActive(at: .seconds(7)))
    serves = compasses.serves(first, at: .seconds(7))
    #expect(serves)
  }
}
