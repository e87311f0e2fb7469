"""There are no more landmarks than points, and they have names."""

from sklearn.datasets import make_classification

from lexiprog_boost.learners import LandmarkFeatures

X, Y = make_classification(400, weights=[0.93], class_sep=1.5, flip_y=0.02, random_state=1)


def test_there_are_no_more_landmarks_than_points():
    assert LandmarkFeatures(100).fit_transform(X[:30]).shape == (30, 30)
    names = LandmarkFeatures(3).fit(X).get_feature_names_out().tolist()
    assert names == ["landmarkfeatures0", "landmarkfeatures1", "landmarkfeatures2"]
