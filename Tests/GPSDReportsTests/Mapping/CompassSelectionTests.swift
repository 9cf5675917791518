import TestSupport
import Testing

@testable import GPSDReports

@Suite(.inTurn) struct CompassSelectionTests {
  @Test func oneCompassIsUsedUntilItIsSilent() {
    var compasses = CompassSelection(timeout: .seconds(5))
    let (first, second) = (ReceiverSelection.ID(rawValue: 1), ReceiverSelection.ID(rawValue: 2))
    #expect(!compasses.isActive(at: .zero))
    var isSelected = compasses.selects(first, at: .zero)
    #expect(isSelected)
    #expect(compasses.isActive(at: .seconds(5)))
    #expect(!compasses.isActive(at: .seconds(6)))
    isSelected = compasses.selects(second, at: .seconds(5))
    #expect(!isSelected)
    isSelected = compasses.selects(second, at: .seconds(6))
    #expect(isSelected)
    isSelected = compasses.selects(first, at: .seconds(7))
    #expect(!isSelected)
    compasses.remove(first)
    #expect(compasses.isActive(at: .seconds(7)))
    compasses.remove(second)
    #expect(!compasses.isActive(at: .seconds(7)))
    isSelected = compasses.selects(first, at: .seconds(7))
    #expect(isSelected)
  }
}
