"""The members of an ensemble by their names, with their parameters and importances."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from lexiprog_boost.aliases import Floats
from lexiprog_boost.classifiers.shared.listed.importances import weighted_importances
from lexiprog_boost.classifiers.shared.listed.member_names import nested_params, with_replaced
from lexiprog_boost.classifiers.shared.listed.named_members import NamedMembers


class MemberAccess(BaseEstimator):
    """What an estimator whose ``ensemble`` may be a list tells of its members."""

    ensemble: Any
    ensemble_: Any
    estimators_: list[Any]
    estimator_weights_: Floats
    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002
        """Return the parameters; with `deep` also listed members by name, and theirs.

        Parameters
        ----------
        deep : bool
            Whether parameters of the ensemble, or of listed members, are included.

        Returns
        -------
        dict
        """
        own = super().get_params(deep=deep)
        listed = deep and isinstance(self.ensemble, list | tuple)
        return nested_params(self.ensemble) | own if listed else own

    def set_params(self, **params: Any) -> Self:
        """Set parameters, or those of listed members, or put others in their place.

        A list that was given stays as it is; the members whose parameters are set do not.

        Parameters
        ----------
        **params : dict
            By name: ``rf__max_depth=3`` for the member "rf", ``rf=...`` for another in its place.

        Returns
        -------
        self
        """
        if "ensemble" in params:
            super().set_params(ensemble=params.pop("ensemble"))
        if isinstance(self.ensemble, list | tuple):
            names = nested_params(self.ensemble).keys() - super().get_params(deep=False).keys()
            plain = [name for name in names & params.keys() if "__" not in name]
            replaced = {name: params.pop(name) for name in plain}
            if replaced:
                self.ensemble = with_replaced(self.ensemble, replaced)
        super().set_params(**params)
        return self

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted members of a list by their names."""
        check_is_fitted(self)
        if not isinstance(self.ensemble_, NamedMembers):
            raise AttributeError(
                f"the members of {type(self.ensemble_).__name__} have no names: see estimators_."
            )
        return self.ensemble_.named_estimators_

    @property
    def feature_importances_(self) -> Floats:
        """Importances of the columns, by those members that have them; they sum to one."""
        check_is_fitted(self)
        found = weighted_importances(self.estimators_, self.estimator_weights_, self.n_features_in_)
        if found is None:
            raise AttributeError(
                "no member has feature_importances_ for the columns as they were given: use "
                "sklearn.inspection.permutation_importance, which needs none."
            )
        return found
